// Vitest `globalSetup`: builds the image worker and the server for the specs that run them. Compiling the server at
// each start would take longer than most specs.
import { buildPart } from './build.mjs'
import { isBuilt, parts } from './build-parts.mjs'

/** Builds the named parts if they changed. @param {...import('./build-parts.mjs').Part['name']} names */
export async function built(...names) {
  for (const part of parts) if (names.includes(part.name) && !isBuilt(part)) await buildPart(part)
}

/**
 * Skips the build if only the project `checks` runs, because it starts no programs.
 *
 * @param {import('vitest/node').TestProject} project
 */
export default async function setup(project) {
  if (project.vitest.projects.every(({ name }) => name === 'checks')) return
  await built('image-worker', 'server')
}
