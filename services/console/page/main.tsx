import { render } from "preact";
import { Console } from "./frame/console.tsx";

const place = document.getElementById("page");
if (place !== null) render(<Console />, place);
