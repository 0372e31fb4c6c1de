import { defineConfig } from '@playwright/test'
import { findChromium } from './tools/lib/chromium.mjs'
import { tier } from './tools/lib/tier.mjs'

const executablePath = findChromium()
const report = process.env['MAINSTAY_PLAYWRIGHT_REPORT']

/**
 * What takes longest, and what brings servers of its own: begun last, it keeps one worker busy when the other has nothing left
 * to do. The sweep comes last by its name, and fills up what is left in small pieces.
 */
const first = [
  '**/journeys/{networks,whole-life,first-minutes,people}.e2e.ts',
  '**/object-storage/resume.all.e2e.ts',
  '**/shell/{identity-provider,openid.all,saml}.e2e.ts',
]

const notInTier = tier === 'all' ? [] : ['**/*.all.e2e.ts']

export default defineConfig({
  testDir: 'e2e',
  // tests of wider tiers: whole files by name, single tests by tag
  ...(tier === 'all' ? {} : { grepInvert: /@all/ }),
  projects: [
    { name: 'first', testMatch: first, testIgnore: notInTier },
    { name: 'then', testMatch: '**/*.e2e.ts', testIgnore: [...first, ...notInTier] },
  ],
  outputDir: '.cache/test-results',
  // a test that passes at the second attempt has found a fault
  retries: 0,
  forbidOnly: true,
  workers: 2,
  // a loaded machine is slow, and that is no fault
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ...(report ? [['json', { outputFile: report }] as const] : [])],
  use: {
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    // a trace costs a fifth of the time: `MAINSTAY_TRACE=1 npx playwright test FILE` keeps those of what fails
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
      ],
    },
  },
})
