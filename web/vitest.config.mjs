// vitest.config.mjs: unit tests of code that needs no browser.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/*.test.ts"], environment: "node" } });
