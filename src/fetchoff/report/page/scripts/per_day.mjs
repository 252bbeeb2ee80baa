// What differences come to: days = exchanges x microseconds / 10^6 / 86,400.

const threeDigits = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

const multiply = (exchanges) => {
  for (const shown of document.querySelectorAll(".days")) {
    if (!Number.isFinite(parseFloat(shown.dataset.us))) continue;
    const days = (exchanges * parseFloat(shown.dataset.us)) / 1e6 / 86400;
    const value = "aYear" in shown.dataset ? days * 365 : days;
    shown.textContent = threeDigits.format(value).replace("-", "−");
  }
};

export const watchExchangesADay = (part) => {
  for (const input of part.querySelectorAll(".per-day")) {
    input.addEventListener("input", () => {
      if (!(input.valueAsNumber > 0)) return;
      const others = [...document.querySelectorAll(".per-day")].filter((other) => other !== input);
      others.forEach((other) => { other.value = input.value; });
      multiply(input.valueAsNumber);
    });
  }
};
