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

it('says all that is wrong with the name of a bucket at once, and which names of files cannot be; sends nothing of either [VA-025]', async () => {
  const first = await renderPage('/s3-storage/buckets/add', { server, as })
  const form = await screen.findByRole('dialog')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'My_Bucket' } })
  fireEvent.click(within(form).getByRole('button', { name: 'Create bucket' }))
  const fault = await within(form).findByText(/Use lowercase letters/)
  expect(fault.textContent).toBe('Use lowercase letters. Use letters, digits, hyphens and dots only.')
  for (const [name, told] of [
    ['ab', 'Use 3 to 63 characters'],
    ['-ab', 'Begin and end with a letter or a digit'],
    ['a..b', 'Do not put two dots side by side'],
    ['a.-b', 'Begin and end each part between dots with a letter or a digit'],
    ['a-.b', 'Begin and end each part between dots with a letter or a digit'],
    ['a--b', 'Do not put two hyphens side by side'],
    ['192.0.2.1', 'Do not use the form of an IP address'],
    ['xn--ab', 'Do not put two hyphens side by side. Do not begin with xn--'],
  ] as const) {
    fireEvent.change(within(form).getByLabelText('Name'), { target: { value: name } })
    await within(form).findByText(`${told}.`)
    // the server says the same to whom no form asks
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
    'No browser can ask for a path with . or .. between slashes. Use a program.',
  ])
  expect(told.message).toContain('a\\x01b.txt: ')
  expect(useFileUploads.getState().uploads).toEqual([])
  expect((await listObjects('console-names', { prefix: '', maxKeys: 10 })).objects).toEqual([])
  // what no name can be for anybody, the server refuses as well
  await expect(putObject('console-names', 'k'.repeat(1025))).rejects.toMatchObject({ code: 'KeyTooLongError' })
  await putObject('console-names', 'k'.repeat(1024))
  second.close()
})
