import { defineConfig } from "vite";

// File names are fixed, so that the server embeds four known files. `npm run dev` sends requests to a running `metaphrase serve`.
const server = process.env.METAPHRASE ?? "http://localhost:5000";

export default defineConfig({
  root: "src",
  base: "./",
  publicDir: "../public",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { entryFileNames: "page.js", assetFileNames: "page[extname]" },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api"].map((path) => [path, server])),
  },
});
