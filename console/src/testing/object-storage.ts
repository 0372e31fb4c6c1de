import { beforeAll, beforeEach } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { queryClient } from '../api/query-client'
import { removeNotice, useNotices } from '../notices/notices'
import { pressAndLoad } from './press-and-load'
import { openPage, server, withPages } from './pages'
import { pageTimeout } from './page-timeout'

/* Helpers for specs of object storage pages. */

/** The user who owns the buckets. */
export const owner = 'project-member@alpha-one'

/** Starts one server with object storage for the file. Clears the cache and the notifications before each test. */
export function withObjectStorage(): void {
  withPages()
  beforeAll(() => server.call(s3Service.create, { as: 'superuser' }))
  beforeEach(() => {
    queryClient.clear()
    for (const { id } of useNotices.getState().notices) removeNotice(id)
  })
}

/** Opens a page by its path and query below `/s3-storage`. */
export const openS3 = (path: string) => openPage(`/s3-storage${path}`, owner)

/**
 * Opens a page after `prepare`, which calls S3 as the owner through the console’s client. The client requires an open
 * page.
 */
export async function openPrepared(path: string, prepare: () => Promise<unknown>) {
  const page = await openS3('/access')
  await screen.findByRole('heading', { name: 'Access keys' }, pageTimeout)
  await prepare()
  const [pathname, query = ''] = path.split('?')
  await page.router.navigate({
    to: `/s3-storage${pathname}`,
    search: Object.fromEntries(new URLSearchParams(query)),
  })
  return page
}

// faster than a query by role when there are many rows
const rows = () => [...document.querySelectorAll<HTMLElement>('tr[aria-label]')]
export const rowNames = () => rows().flatMap((it) => it.getAttribute('aria-label') ?? [])
export const row = (name: string) =>
  waitFor(() => {
    const found = rows().find((it) => it.getAttribute('aria-label') === name)
    if (!found) throw new Error(`There is no row ${name}`)
    return found
  })

/** Presses a button, optionally within one part of the page. */
export const pressIn = async (name: string | RegExp, part: HTMLElement = document.body) =>
  fireEvent.click(await within(part).findByRole('button', { name }))

/** Chooses an action from a row’s menu. */
export async function chooseOf(rowName: string, item: string): Promise<void> {
  // query the row again each time, because reloading a list replaces its rows
  const actions = async () => within(await row(rowName)).getByRole('button', { name: `Actions for ${rowName}` })
  await pressAndLoad(await waitFor(actions))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}
