// The tour: what the pages do, in four pictures.

import { byId } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";

begin("tour");
createMenu(byId("menu"));
