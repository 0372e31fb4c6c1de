import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { useNotices } from '../../notices/notices'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { createBucket, listBuckets } from './client/buckets'
import { listObjects, putObject } from './client/objects'
import { useFileUploads } from './uploads/queue'

const as = 'project-member@alpha-one'
let server: TestServer
withLayout()
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())

it('reports all problems with a bucket name, reports invalid file names, and sends nothing [VA-025]', async () => {
  const first = await renderPage('/s3-storage/buckets/add', { server, as })
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'My_Bucket' } })
  fireEvent.click(within(form).getByRole('button', { name: 'Create bucket' }))
  const fault = await within(form).findByText(/Do not use uppercase letters/)
  expect(fault.textContent).toBe('Do not use uppercase letters. Use only letters, digits, hyphens and dots.')
  for (const [name, told] of [
    ['ab', 'Use 3 to 63 characters'],
    ['-ab', 'Start and end with a letter or digit'],
    ['a..b', 'Do not use two dots in a row'],
    ['a.-b', 'Start and end each part between dots with a letter or digit'],
    ['a-.b', 'Start and end each part between dots with a letter or digit'],
    ['a--b', 'Do not use two hyphens in a row'],
    ['192.0.2.1', 'Do not use an IP address as the name'],
    ['xn--ab', 'Do not use two hyphens in a row. Do not start with xn--'],
  ] as const) {
    fireEvent.change(within(form).getByLabelText('Name'), { target: { value: name } })
    await within(form).findByText(`${told}.`)
    // the server enforces the same rules for other clients
    await expect(createBucket(name)).rejects.toMatchObject({ code: 'InvalidBucketName' })
  }
  expect(await listBuckets()).toEqual([])

  await createBucket('console-names')
  first.close()
  const second = await renderPage('/s3-storage/buckets/files/console-names', { server, as })
  await screen.findByText(/^This bucket is empty/)
  const input = document.querySelector<HTMLInputElement>('input[type=file][multiple]')!
  const files = ['a\u0001b.txt', `${'l'.repeat(252)}.txt`, ' ', '..'].map((name) => new File(['x'], name))
  fireEvent.change(input, { target: { files } })
  const told = await vi.waitFor(() => {
    const found = useNotices.getState().notices.find(({ title }) => title === '4 files cannot be uploaded')
    expect(found).toBeDefined()
    return found!
  })
  expect(told.message!.split('\n').map((line) => line.split(': ')[1])).toEqual([
    'Do not use control characters',
    'Use at most 255 bytes',
    'Enter a name',
    'Browsers cannot request a path with . or .. between slashes. Use an S3 client instead.',
  ])
  expect(told.message).toContain('a\\x01b.txt: ')
  expect(useFileUploads.getState().uploads).toEqual([])
  expect((await listObjects('console-names', { prefix: '', maxKeys: 10 })).objects).toEqual([])
  // the server also rejects names that are invalid for every client
  await expect(putObject('console-names', 'k'.repeat(1025))).rejects.toMatchObject({ code: 'KeyTooLongError' })
  await putObject('console-names', 'k'.repeat(1024))
  second.close()
})
