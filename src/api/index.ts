// Ponder insists on an API file. The product's API is the gateway; this one only says so.
import { Hono } from "hono";

const app = new Hono();
app.get("/", (context) => context.text("Tidemark's indexer. Questions are answered by the gateway."));

export default app;
