// All tests of the page, in one browser: `npm test`, or `npm test -- http://localhost:5000` against a running server.

import "./page.test.mjs";
import "./reader.test.mjs";
