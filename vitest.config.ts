import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { tier } from './tools/lib/tier.mjs'
import { LongestFirst } from './tools/lib/vitest/longest-first.mjs'

const whenThere = (...files: string[]) => files.filter((file) => existsSync(new URL(file, import.meta.url)))

/** How long specs outside the console wait for a condition. Long enough for a slow, loaded machine. */
const patienceMs = 30_000

/** A larger young generation for workers, because garbage collection took 10 % of the time. */
const execArgv = ['--max-semi-space-size=64']

/** Selects specs by tier: only storms for `long`; otherwise all except those in wider tiers. */
const inTier = tier === 'long' ? '.storm' : ''
const notInTier = tier === 'gate' ? ['**/*.all.{spec,storm.spec}.{ts,tsx}'] : []

/** Tag of single tests in specs of the gate. `npm test` leaves them out (tools/lib/test-steps.mjs). */
const tags = [{ name: 'all', description: 'runs in `npm run test:all`, not in the gate' }]

export default defineConfig({
  test: {
    // These settings are not inherited by projects; they apply once to the whole run.
    // Three workers for the two cores of a CI machine, because most specs spend a third of their time waiting for the
    // database, for child processes or for guests.
    maxWorkers: 3,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    tags,
    // one PostgreSQL server for all specs; each spec creates its own database in it
    globalSetup: whenThere(
      './server/src/testing/postgres/global-setup.ts',
      './tools/lib/built-programs.mjs',
      './tools/lib/vitest/leftovers.mjs',
    ),
    teardownTimeout: 20_000,
    projects: [
      {
        test: {
          name: 'checks',
          environment: 'node',
          include: ['tools/checks/**/*.spec.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'node',
          environment: 'node',
          execArgv,
          // modules are loaded once per worker; none keeps state that could leak from one spec into another
          isolate: false,
          include: [`{contract,engines,server,cli,tools,bench}/**/*${inTier}.spec.ts`],
          exclude: [
            '**/node_modules/**',
            '**/dist/**',
            'tools/checks/**',
            '**/*.{cloud,ceph,lab}.spec.ts',
            ...notInTier,
          ],
          setupFiles: whenThere('./tools/lib/vitest/costs.ts', './tools/lib/vitest/patience.ts'),
          provide: { patienceMs },
          expect: { poll: { timeout: patienceMs } },
          // longer than a single wait, because a test contains several waits
          testTimeout: 4 * patienceMs,
          hookTimeout: 4 * patienceMs,
        },
      },
      {
        // requires a real cloud, which tools/test-openstack.mjs finds or sets up
        test: {
          name: 'openstack',
          environment: 'node',
          include: ['{engines,server}/**/*.cloud.spec.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          fileParallelism: false,
          expect: { poll: { timeout: patienceMs } },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // requires a real Ceph Object Gateway, which tools/test-ceph.mjs finds or sets up
        test: {
          name: 'ceph',
          environment: 'node',
          include: ['engines/**/*.ceph.spec.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          fileParallelism: false,
          expect: { poll: { timeout: patienceMs } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // requires a lab of nodes, which tools/test-infrastructure.mjs starts
        test: {
          name: 'lab',
          environment: 'node',
          include: ['{engines,server}/**/*.lab.spec.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          fileParallelism: false,
          expect: { poll: { timeout: patienceMs } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // for the plugins, which compile messages and CSS modules as in the product
        extends: './console/vite.config.ts',
        test: {
          name: 'console',
          environment: 'jsdom',
          execArgv,
          dir: 'console',
          include: [`**/*${inTier}.spec.{ts,tsx}`],
          exclude: ['**/node_modules/**', '**/dist/**', ...notInTier],
          isolate: false,
          setupFiles: whenThere('./tools/lib/vitest/costs.ts', './console/src/testing/setup.ts'),
          // resets the stores for each file
          alias: [
            { find: /^zustand$/, replacement: new URL('./console/src/testing/zustand.ts', import.meta.url).pathname },
          ],
          css: { modules: { classNameStrategy: 'non-scoped' } },
          // longer than a single wait, whose limit is in the setup, because a test contains several waits
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
