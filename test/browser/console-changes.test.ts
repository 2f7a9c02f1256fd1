/** What changes the installation: the actions of operators, load, and a killed process. */
import "./console-actions.ts";
import "./console-live.ts";
