// What stands where there is no page: a sentence and the way to the scoreboard.

import { byId } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";

begin("missing");
createMenu(byId("menu"));
