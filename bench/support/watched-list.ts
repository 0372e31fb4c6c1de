import type { Instance } from '@mainstay/contract/compute/instances'
import type { Page } from '@playwright/test'
import { withConsole, type Visitor } from './with-console'

const SEEN_WITHIN_MS = 20_000

declare global {
  interface Window {
    /** What rows said, and when it was painted. */
    seen: { row: string; at: number }[]
  }
}

/** A list of instances that somebody looks at. */
export interface WatchedList {
  /** Those of these instances that run and are on the page. */
  shown(among: readonly Instance[]): Promise<Instance[]>
  /** Forgets what was seen so far. */
  look(): Promise<void>
  /** When the row of this name was first painted with this word, since the last `look`; milliseconds since 1970. */
  seenAt(name: string, word: string): Promise<number>
  /** What the page keeps, after what it no longer needs is collected. */
  heapBytes(): Promise<number>
}

/** Opens a browser, signs in by the page and goes to the list of the project's instances. */
export const withWatchedList = <Result>(
  url: string,
  who: Visitor,
  work: (list: WatchedList) => Promise<Result>,
): Promise<Result> =>
  withConsole(url, who, async (page) => {
    await page.goto(new URL('/compute/instances', url).href)
    return work(watch(page))
  })

function watch(page: Page): WatchedList {
  return {
    async shown(among) {
      const grid = page.getByRole('grid')
      await grid.getByText(among[0]!.name, { exact: true }).waitFor()
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
      const texts = await grid.getByRole('row').allInnerTexts()
      await note(page)
      return among.filter(({ name, status }) => status === 'ACTIVE' && texts.some((text) => text.includes(name)))
    },
    look: () => page.evaluate(() => void (window.seen = [])),
    async seenAt(name, word) {
      const found = await page.waitForFunction(
        ([named, says]) => window.seen.find(({ row }) => row.includes(named!) && row.includes(says!))?.at,
        [name, word],
        { timeout: SEEN_WITHIN_MS, polling: 20 },
      )
      return (await found.jsonValue()) ?? Number.NaN
    },
    async heapBytes() {
      await page.evaluate(() => void (window.seen = []))
      const browser = await page.context().newCDPSession(page)
      await browser.send('HeapProfiler.collectGarbage')
      const { usedSize } = await browser.send('Runtime.getHeapUsage')
      await browser.detach()
      return usedSize
    },
  }
}

/** From now on the page notes what its rows say. */
const note = (page: Page): Promise<void> =>
  // no function in here has a name: the loader of this file would put a helper around it that no page has
  page.evaluate(() => {
    window.seen = []
    new MutationObserver(() =>
      requestAnimationFrame(() => {
        // the frame is on its way to the screen once this runs
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => {
          const at = Date.now()
          for (const row of document.querySelectorAll('tr, [role="row"]'))
            window.seen.push({ row: row.textContent, at })
        })
        port1.start()
        port2.postMessage(null)
      }),
    ).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    })
  })
