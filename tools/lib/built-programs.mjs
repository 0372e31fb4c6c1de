// For vitest's `globalSetup`: specs run the worker for image files and the server as they are built, in one file each.
// Compiling the server at each of its starts would cost more than what most specs do with it.
import { buildPart } from './build.mjs'
import { isBuilt, parts } from './build-parts.mjs'

/** Builds those of these that changed. @param {...import('./build-parts.mjs').Part['name']} names */
export async function built(...names) {
  for (const part of parts) if (names.includes(part.name) && !isBuilt(part)) await buildPart(part)
}

/** The checks of the repository start nothing. @param {import('vitest/node').TestProject} project */
export default async function setup(project) {
  if (project.vitest.projects.every(({ name }) => name === 'checks')) return
  await built('image-worker', 'server')
}
