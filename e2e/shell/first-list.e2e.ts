import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'tenant' })

/** Including the page itself and its icon. */
const mostRequests = 30

test(`a first list is drawn after at most ${mostRequests} requests, with nothing in the cache of the browser`, async ({
  page,
}) => {
  await page.addInitScript(() =>
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('[role=grid] tbody a')) return
      performance.mark('rows drawn')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true }),
  )
  await page.goto('/compute/instances')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const requests = await page.evaluate(() => {
    const drawn = performance.getEntriesByName('rows drawn')[0]!.startTime
    return performance
      .getEntries()
      .filter(({ entryType, startTime }) => /^(navigation|resource)$/.test(entryType) && startTime <= drawn)
      .map(({ name, startTime }) => `${Math.round(startTime)} ms ${new URL(name).pathname}`)
  })
  expect(requests.length).toBeGreaterThan(3)
  // a page is not told of its icon
  expect(requests.length + 1, requests.join('\n')).toBeLessThanOrEqual(mostRequests)
})
