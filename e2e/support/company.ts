import { startOpenIdProvider, trustLoopback } from '../../server/src/testing/outside/openid-provider'
import { startServer } from './server'
import { test as base } from './test'

/** Provides a company's OpenID Connect provider, and a server that browsers treat as a different site. */
export const test = base.extend<object, { company: Awaited<ReturnType<typeof startOpenIdProvider>> }>({
  company: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright requires a destructuring pattern
    async ({}, use) => {
      const company = await startOpenIdProvider()
      await use(company)
      await company.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ company: _ }, use) => {
      const server = await startServer(trustLoopback)
      await use({ ...server, url: server.url.replace('127.0.0.1', 'localhost') })
      await server.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
})
