// The tour: what the pages do, in four pictures; tests/tour_pictures.py takes them, in the languages named here.

import { byId } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { language } from "./words.js";

const PICTURED = ["de", "en", "es", "fr"];

begin("tour");
createMenu(byId("menu"));
const folder = PICTURED.includes(language) ? language : "en";
for (const picture of document.querySelectorAll(".tour img")) picture.src = `/static/media/tour/${folder}/${picture.dataset.picture}.webp`;
