import process from 'node:process'
import { signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { openReader } from './support/requests'
import { someInstances } from './support/small-copy'

const ROUNDS = quick ? 9 : 21

/*
 * Measures the requests that Ctrl+K sends to a server with 100 000 instances, as an operator who sees every row: common
 * prefixes, parts of names, an ID, and text without a match.
 */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const server = await startProgram({ folder: await newFolder(), world: 'busy', readyWithinMs: 600_000 })
    try {
      const operator = { username: 'admin', password: ADMIN_PASSWORD }
      const [one] = await someInstances(await signIn(server.url, { ...operator, project: 'demo' }), 1)
      const texts = ['w', 'web', 'prod', 'db-1', 'nothing like it', one!.id, one!.name]
      const reader = openReader(server.url, (await signIn(server.url, operator)).token)
      const slowest: number[] = []
      for (const q of texts) {
        const times: number[] = []
        // the first round is a warm-up
        for (let round = 0; round <= ROUNDS; round++) {
          const { ms } = await reader.get(`/api/v2/search?${new URLSearchParams({ q }).toString()}`)
          if (round > 0) times.push(ms)
        }
        slowest.push(quantile(times, 0.95))
        process.stdout.write(
          `search ${q}: median ${quantile(times, 0.5).toFixed(2)}, p95 ${slowest.at(-1)!.toFixed(2)} ms\n`,
        )
      }
      reader.close()
      return [{ name: 'search over every kind: slowest, p95', unit: 'ms', value: Math.max(...slowest) }]
    } finally {
      await server.stop()
    }
  })
}
