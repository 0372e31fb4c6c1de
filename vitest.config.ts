import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { tier } from './tools/lib/tier.mjs'
import { LongestFirst } from './tools/lib/vitest/longest-first.mjs'

const whenThere = (...files: string[]) => files.filter((file) => existsSync(new URL(file, import.meta.url)))

/** How long a spec outside the console waits for what is to come about: a loaded machine is slow, and that is no fault. */
const patienceMs = 30_000

/** A larger young generation for workers: garbage collection took 10 % of the time. */
const execArgv = ['--max-semi-space-size=64']

/** Specs by the tier that runs: the storms alone, or all but those that stand in a wider tier. */
const inTier = tier === 'long' ? '.storm' : ''
const notInTier = tier === 'gate' ? ['**/*.all.{spec,storm.spec}.{ts,tsx}'] : []

export default defineConfig({
  test: {
    // projects do not inherit what stands here, so this happens once for all of them.
    // Two cores are what a continuous-integration machine has, and a third of the time of most specs is waiting: for the
    // database, for programs that they started, for guests
    maxWorkers: 3,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // one PostgreSQL for all specs; each takes a database of its own in it
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
          // modules are read once for all files of a worker: none keeps anything that one spec could change for another
          isolate: false,
          include: [`{contract,engines,server,cli,tools,bench}/**/*${inTier}.spec.ts`],
          exclude: ['**/node_modules/**', '**/dist/**', 'tools/checks/**', '**/*.{cloud,ceph}.spec.ts', ...notInTier],
          setupFiles: whenThere('./tools/lib/vitest/costs.ts', './tools/lib/vitest/patience.ts'),
          provide: { patienceMs },
          expect: { poll: { timeout: patienceMs } },
          // each wait has its own limit; a test has several
          testTimeout: 4 * patienceMs,
          hookTimeout: 4 * patienceMs,
        },
      },
      {
        // needs a real cloud, which tools/test-openstack.mjs finds or brings up
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
        // needs a real Ceph Object Gateway, which tools/test-ceph.mjs finds or brings up
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
        // its plugins: messages are compiled, styles are modules, as in the product
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
          // stores that begin again with each file
          alias: [
            { find: /^zustand$/, replacement: new URL('./console/src/testing/zustand.ts', import.meta.url).pathname },
          ],
          css: { modules: { classNameStrategy: 'non-scoped' } },
          // each wait has its own limit, in the setup; a test has several
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
