// Ponder insists on an API file; the benchmark reads the tables.
import { Hono } from "hono";

export default new Hono();
