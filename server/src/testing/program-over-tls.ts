import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { testDatabase } from './postgres/postgres'
import { startProgram, type ServerProgram } from './server-program'

/* Runs the whole program with its own certificate. */

export let program: ServerProgram
let environment: Record<string, string>
let folder: string

/** Starts one program for a spec file. */
export function withProgramOverTls(): void {
  let database: Awaited<ReturnType<typeof testDatabase>>
  beforeAll(async () => {
    database = await testDatabase()
    folder = await mkdtemp(path.join(tmpdir(), 'mainstay-tls-'))
    environment = { MAINSTAY_TLS: 'self-signed', DATABASE_URL: database.url }
    program = await startProgram({ folder, environment })
  })
  afterAll(async () => {
    await program.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
}

/** Restarts the program with the same data. */
export async function startAgain(): Promise<void> {
  await program.stop()
  program = await startProgram({ folder, environment })
}
