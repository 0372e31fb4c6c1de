// For vitest's `globalSetup`: specs run the worker for image files as it is built, in one file.
import { buildPart } from './build.mjs'
import { isBuilt, parts } from './build-parts.mjs'

export default async function setup() {
  const part = parts.find(({ name }) => name === 'image-worker')
  if (part && !isBuilt(part)) await buildPart(part)
}
