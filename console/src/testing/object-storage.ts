import { beforeAll, beforeEach } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { queryClient } from '../api/query-client'
import { removeNotice, useNotices } from '../notices/notices'
import { pressAndLoad } from './press-and-load'
import { openPage, server, withPages } from './pages'
import { pageTimeout } from './page-timeout'

/* Pages of object storage on a server that has it, and what specs read and press in their lists. */

/** Whose buckets they are. */
export const owner = 'project-member@alpha-one'

/** One server with object storage for the file; no test sees what another one read or was told. */
export function withObjectStorage(): void {
  withPages()
  beforeAll(() => server.call(s3Service.create, { as: 'superuser' }))
  beforeEach(() => {
    queryClient.clear()
    for (const { id } of useNotices.getState().notices) removeNotice(id)
  })
}

/** Opens a page by its address below `/s3-storage`, with a query. */
export const openS3 = (path: string) => openPage(`/s3-storage${path}`, owner)

/** Opens a page after `prepare`, which calls S3 as the owner: the console's own client does so once any page is open. */
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

// of many rows the roles take long to find
const rows = () => [...document.querySelectorAll<HTMLElement>('tr[aria-label]')]
export const rowNames = () => rows().flatMap((it) => it.getAttribute('aria-label') ?? [])
export const row = (name: string) =>
  waitFor(() => {
    const found = rows().find((it) => it.getAttribute('aria-label') === name)
    if (!found) throw new Error(`There is no row ${name}`)
    return found
  })

/** Presses a button, of one part of the page where it is given. */
export const pressIn = async (name: string | RegExp, part: HTMLElement = document.body) =>
  fireEvent.click(await within(part).findByRole('button', { name }))

/** Takes an entry of the menu of a row. */
export async function chooseOf(rowName: string, item: string): Promise<void> {
  // a list that is read anew draws its rows anew
  const actions = async () => within(await row(rowName)).getByRole('button', { name: `Actions of ${rowName}` })
  await pressAndLoad(await waitFor(actions))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}
