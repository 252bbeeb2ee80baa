// What the page holds deflated, in base 64.

export const inflated = async (packed) => {
  const bytes = Uint8Array.from(atob(packed.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

export const inflatedText = async (packed) => new TextDecoder().decode(await inflated(packed));

// The document of a script element, which is packed in a long page.
export const documentOf = async ({ type, textContent }) =>
  JSON.parse(type === "application/json" ? textContent : await inflatedText(textContent));
