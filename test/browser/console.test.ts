/** What the console shows. In this order: the states' long lists would make the pages of the tour long, too. */
import "./console-tour.ts";
import "./console-states.ts";
