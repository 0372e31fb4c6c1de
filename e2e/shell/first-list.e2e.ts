import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'tenant', isCold: true })

/** Including the page itself and its icon. */
const mostRequests = 25

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

/** Of the screen, times how far it moves: what the header changes in its icons is below it. */
const stillShift = 0.005

for (const { width, paths } of [
  { width: 1440, paths: ['/monitoring', '/compute/instances'] },
  { width: 360, paths: ['/monitoring', '/compute/instances'] },
])
  test(`${paths.join(' and ')} stand still while their parts arrive, at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.addInitScript(() => {
      const shifts: string[] = []
      Object.assign(globalThis, { shifts, shifted: 0 })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node }[] })[]) {
          Object.assign(globalThis, { shifted: Reflect.get(globalThis, 'shifted') + entry.value })
          shifts.push(
            `${entry.value} at ${entry.startTime}: ${entry.sources.map(({ node }) => node?.textContent).join()}`,
          )
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    for (const path of paths) {
      await page.goto(path)
      // comes after the answers
      await expect(page.getByRole('button', { name: 'Notifications' })).toBeVisible()
      await expect(page.locator('main [class*=skeleton]')).toHaveCount(0)
      const { shifted, shifts } = await page.evaluate(() => ({
        shifted: Reflect.get(globalThis, 'shifted') as number,
        shifts: Reflect.get(globalThis, 'shifts') as string[],
      }))
      expect(shifted, `${path}\n${shifts.join('\n')}`).toBeLessThan(stillShift)
    }
  })
