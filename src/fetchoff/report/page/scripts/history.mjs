// The script of a history's page: its chart alone.

import { drawAll, followScheme, watchCharts } from "./charts.mjs";

watchCharts(document);
followScheme();
addEventListener("beforeprint", drawAll);
window.fetchoffReport = { drawAll };
