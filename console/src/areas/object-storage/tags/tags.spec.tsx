import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { openPrepared, pressIn, withObjectStorage } from '../../../testing/object-storage'
import { createBucket } from '../client/buckets'
import { getObject, putObject } from '../client/objects'
import { putVersioning } from '../client/settings'
import { getTags, putTags } from '../client/tags'
import { versionsOf } from '../client/versions'
import { s3Query, type Tagged } from '../keys'
import { fileIdOf } from '../paths'
import { refreshS3 } from '../use-s3'

const key = 'a/../notes & more.txt'
withObjectStorage()

/** Creates a bucket and opens the details of the test file in it. */
async function open(bucket: string, prepare: () => Promise<unknown> = () => Promise.resolve()) {
  await openPrepared(`/buckets/files/${bucket}/${fileIdOf(key)}`, async () => {
    await createBucket(bucket)
    await prepare()
  })
  return within(await screen.findByRole('dialog', { name: 'notes & more.txt' }))
}
const tagsOf = async (of: Tagged) => (await getTags(of)).tags
const form = () => screen.findByRole('dialog', { name: /^Tags for/ })
const fill = async (text: string) =>
  fireEvent.change(within(await form()).getByLabelText(/Tags/), { target: { value: text } })
const save = async () => pressIn('Save tags', await form())

it('edits a file’s tags, one per line, and enforces the limits', { tags: 'all' }, async () => {
  const bucket = 'tags-of-file'
  const details = await open(bucket, async () => {
    await putObject(bucket, key, 'text')
    await putTags({ bucket, key }, [{ key: 'stage', value: 'draft' }])
  })
  await details.findByText('stage: draft')
  await pressIn('Edit tags')
  await fill(Array.from({ length: 11 }, (_, at) => `t${at}=x`).join('\n'))
  await save()
  await within(await form()).findByText('Use at most 10 tags.')
  await fill(`${'k'.repeat(129)}=x`)
  await save()
  await within(await form()).findByText('A tag key must have 1 to 128 characters.')
  await fill(`k=${'v'.repeat(257)}`)
  await save()
  await within(await form()).findByText('A tag value can have at most 256 characters.')
  expect(await tagsOf({ bucket, key })).toEqual([{ key: 'stage', value: 'draft' }])
  await fill('stage=final\nowner = a@b.example')
  await save()
  await details.findByText('stage: final')
  await details.findByText('owner: a@b.example')
  expect(await (await getObject(bucket, key)).text()).toBe('text')
  await pressIn('Edit tags')
  await fill('')
  await save()
  await details.findByText('No tags.')
  expect(await tagsOf({ bucket, key })).toEqual([])
})

it('keeps separate tags for each version of a file', async () => {
  const bucket = 'tags-of-versions'
  const details = await open(bucket, async () => {
    await putVersioning(bucket, true)
    for (const text of ['one', 'two']) await putObject(bucket, key, text)
    await putTags({ bucket, key }, [{ key: 'is', value: 'new' }])
  })
  await details.findByText('is: new')
  const [newest, older] = (await versionsOf(bucket, key)).versions.map(({ version }) => version) as [string, string]
  await pressIn(`Edit tags for version ${older}`)
  await fill('is=old')
  await save()
  await expect.poll(() => tagsOf({ bucket, key, version: older })).toEqual([{ key: 'is', value: 'old' }])
  await details.findByText('is: new')
  await pressIn(`Edit tags for version ${newest}`)
  expect(within(await form()).getByLabelText(/Tags/)).toHaveProperty('value', 'is=new')
  await fill('is=newest')
  await save()
  await details.findByText('is: newest')
})

it('reports a concurrent change to a version’s tags, and keeps the user’s input', async () => {
  const bucket = 'two-people-a-version'
  await open(bucket, async () => {
    await putVersioning(bucket, true)
    for (const text of ['one', 'two']) await putObject(bucket, key, text)
  })
  const { version } = (await versionsOf(bucket, key)).versions[0]!
  await pressIn(`Edit tags for version ${version}`)
  await fill('who=me')
  await putTags({ bucket, key, version }, [{ key: 'who', value: 'somebody' }])
  await refreshS3(s3Query.tags({ bucket, key, version }))
  await save()
  await within(await form()).findByText(/Someone else has made changes in the meantime/)
  expect(within(await form()).getByLabelText(/Tags/)).toHaveProperty('value', 'who=me')
  expect(await tagsOf({ bucket, key, version })).toEqual([{ key: 'who', value: 'somebody' }])
})

it.each([
  { of: 'a bucket', where: (bucket: string): Tagged => ({ bucket }), from: [] },
  { of: 'a file', where: (bucket: string): Tagged => ({ bucket, key }), from: [{ key: 'who', value: 'nobody' }] },
  { of: 'a file without any', where: (bucket: string): Tagged => ({ bucket, key }), from: [] },
])('reports a concurrent change to the tags on $of', { tags: 'all' }, async ({ of, where, from }) => {
  const bucket = `two-people-${of.replaceAll(' ', '-')}`
  const tagged = where(bucket)
  const address = tagged.key === undefined ? `/buckets/${bucket}/rules` : `/buckets/files/${bucket}/${fileIdOf(key)}`
  await openPrepared(address, async () => {
    await createBucket(bucket)
    await putObject(bucket, key, 'text')
    if (from.length > 0) await putTags(tagged, from)
  })
  await screen.findByText(from.length > 0 ? 'who: nobody' : 'No tags.')
  await pressIn('Edit tags')
  await fill('who=me')
  const theirs = [{ key: 'who', value: 'somebody' }]
  await putTags(tagged, theirs)
  // reload the tags behind the open form, which keeps the tags that it was opened with
  await refreshS3(s3Query.tags(tagged))
  await save()
  await within(await form()).findByText(/Someone else has made changes in the meantime/)
  expect(await tagsOf(tagged)).toEqual(theirs)
  await pressIn('Cancel', await form())
  await pressIn('Discard changes', await screen.findByRole('alertdialog'))
  await pressIn('Edit tags')
  expect(within(await form()).getByLabelText(/Tags/)).toHaveProperty('value', 'who=somebody')
  await fill('')
  await save()
  await screen.findByText('No tags.')
  expect(await tagsOf(tagged)).toEqual([])
})
