// Node strips types and knows nothing of JSX: with this, tests can import pages.
import { registerJsx } from "../../gateway/pages/load-jsx.ts";

registerJsx();
