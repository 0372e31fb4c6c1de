import { fireEvent, screen, within } from '@testing-library/react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { queryClient } from '../../../api/query-client'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { createBucket } from '../client/buckets'
import { getObject, putObject } from '../client/objects'
import { putVersioning } from '../client/settings'
import { getTags, putTags } from '../client/tags'
import { versionsOf } from '../client/versions'
import { fileIdOf } from '../paths'

const as = 'project-member@alpha-one'
const key = 'a/../notes & more.txt'
let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())
beforeEach(() => queryClient.clear())
afterEach(() => {
  page?.close()
  page = undefined
})

/** The details of the file, in a bucket of its own. */
async function open(bucket: string, prepare: () => Promise<unknown> = () => Promise.resolve()) {
  page = await renderPage('/s3-storage/access', { server, as })
  await screen.findByRole('heading', { name: 'Access keys' })
  await createBucket(bucket)
  await prepare()
  await page.router.navigate({ to: `/s3-storage/buckets/files/${bucket}/${fileIdOf(key)}` })
  return within(await screen.findByRole('dialog', { name: 'notes & more.txt' }))
}
const press = (name: string, at: HTMLElement = document.body) =>
  within(at)
    .findByRole('button', { name })
    .then((button) => fireEvent.click(button))
const form = () => screen.findByRole('dialog', { name: /^Tags of/ })
const fill = async (text: string) =>
  fireEvent.change(within(await form()).getByLabelText(/Tags/), { target: { value: text } })
const save = async () => press('Save tags', await form())

it('a file shows its tags, which are changed a line each and stay within the limits', async () => {
  const bucket = 'tags-of-file'
  const details = await open(bucket, async () => {
    await putObject(bucket, key, 'text')
    await putTags({ bucket, key }, [{ key: 'stage', value: 'draft' }])
  })
  await details.findByText('stage: draft')
  await press('Edit tags')
  await fill(Array.from({ length: 11 }, (_, at) => `t${at}=x`).join('\n'))
  await save()
  await within(await form()).findByText('Use at most 10 tags.')
  await fill(`${'k'.repeat(129)}=x`)
  await save()
  await within(await form()).findByText('A tag has a name of at most 128 characters.')
  await fill(`k=${'v'.repeat(257)}`)
  await save()
  await within(await form()).findByText('The value of a tag has at most 256 characters.')
  expect(await getTags({ bucket, key })).toEqual([{ key: 'stage', value: 'draft' }])
  await fill('stage=final\nowner = a@b.example')
  await save()
  await details.findByText('stage: final')
  await details.findByText('owner: a@b.example')
  expect(await (await getObject(bucket, key)).text()).toBe('text')
  await press('Edit tags')
  await fill('')
  await save()
  await details.findByText('No tags.')
  expect(await getTags({ bucket, key })).toEqual([])
})

it('each version of a file has tags of its own', async () => {
  const bucket = 'tags-of-versions'
  const details = await open(bucket, async () => {
    await putVersioning(bucket, true)
    for (const text of ['one', 'two']) await putObject(bucket, key, text)
    await putTags({ bucket, key }, [{ key: 'is', value: 'new' }])
  })
  await details.findByText('is: new')
  const [newest, older] = (await versionsOf(bucket, key)).versions.map(({ version }) => version) as [string, string]
  await press(`Tags of version ${older}`)
  await fill('is=old')
  await save()
  await expect.poll(() => getTags({ bucket, key, version: older })).toEqual([{ key: 'is', value: 'old' }])
  await details.findByText('is: new')
  await press(`Tags of version ${newest}`)
  expect(within(await form()).getByLabelText(/Tags/)).toHaveProperty('value', 'is=new')
  await fill('is=newest')
  await save()
  await details.findByText('is: newest')
})
