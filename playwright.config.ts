import { defineConfig } from '@playwright/test'
import { findChromium } from './tools/lib/chromium.mjs'
import { tier } from './tools/lib/tier.mjs'

const executablePath = findChromium()
const report = process.env['MAINSTAY_PLAYWRIGHT_REPORT']

/**
 * The slowest files and those that start their own servers. They run first: started last, they would keep one worker
 * busy while the other is idle. The sweep comes last because files run in path order, and its many short tests keep
 * both workers busy until the end.
 */
const first = [
  '**/journeys/{networks,whole-life,first-minutes,people}.e2e.ts',
  '**/object-storage/resume.all.e2e.ts',
  '**/shell/{identity-provider,openid.all,saml.all}.e2e.ts',
]

const notInTier = [
  ...(tier === 'all' ? [] : ['**/*.all.e2e.ts']),
  // they need a lab of nodes, which tools/test-infrastructure.mjs starts
  ...(process.env['LAB_DIR'] ? [] : ['**/*.lab.e2e.ts']),
]

export default defineConfig({
  testDir: 'e2e',
  // excludes tests in wider tiers: whole files by name, single tests by tag
  ...(tier === 'all' ? {} : { grepInvert: /@all/ }),
  projects: [
    { name: 'first', testMatch: first, testIgnore: notInTier },
    { name: 'then', testMatch: '**/*.e2e.ts', testIgnore: [...first, ...notInTier] },
  ],
  outputDir: '.cache/test-results',
  // no retries: a test that passes only on a retry has found a bug
  retries: 0,
  forbidOnly: true,
  workers: 2,
  // long, because a test that is slow on a loaded machine has not failed
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ...(report ? [['json', { outputFile: report }] as const] : [])],
  use: {
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    // tracing adds about 20 % to the run time: `MAINSTAY_TRACE=1 npx playwright test FILE` keeps traces of failed tests
    trace: process.env['MAINSTAY_TRACE'] ? 'retain-on-failure' : 'off',
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        // servers that the nodes of a lab reach have certificates of their own
        ...(process.env['LAB_DIR'] ? ['--ignore-certificate-errors'] : []),
      ],
    },
  },
})
