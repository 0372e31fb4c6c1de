// Builds the parts that changed: the console with Vite; the server, its image worker and the CLI with esbuild, each
// into one module.
//   node tools/build.mjs [console|server|image-worker|cli] [--force]
import process from 'node:process'
import { buildPart } from './lib/build.mjs'
import { isBuilt, parts } from './lib/build-parts.mjs'

const asked = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const wanted = parts.filter(({ name }) => asked.length === 0 || asked.includes(name))
if (wanted.length === 0) {
  process.stderr.write(`Unknown part. Choose from: ${parts.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}

for (const part of wanted) {
  if (isBuilt(part) && !process.argv.includes('--force')) process.stdout.write(`${part.name}: unchanged\n`)
  else await buildPart(part)
}
