import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { aboutLinks } from '@mainstay/contract/identity/session'
import { startServer } from '../../../server/src/testing/start-server'
import { withLayout } from '../testing/browser'
import { pageTimeout } from '../testing/page-timeout'
import { renderPage } from '../testing/render-page'
import { pressAndLoad } from '../testing/press-and-load'

const long = { timeout: 180_000 }
withLayout()

const aboutWith = async (environment: Record<string, string>) => {
  const server = await startServer({ environment })
  const page = await renderPage('/compute/ssh-keys', { server, as: 'project-member' })
  try {
    await pressAndLoad(await screen.findByRole('button', { name: 'Account menu: project_member' }, pageTimeout))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'About' }, pageTimeout))
    const dialog = within(await screen.findByRole('dialog', { name: 'About Mainstay' }, pageTimeout))
    await dialog.findByText('0.0.0', {}, pageTimeout)
    const facts = ['Version', 'Release', 'API version'].map(
      (name) => dialog.getByText(name).nextElementSibling!.textContent,
    )
    const links = dialog.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
    return { facts, links }
  } finally {
    page.close()
    await server.close()
  }
}

it(
  'the About dialog links to documentation, support, ISO images, contact, terms and the product page [UI-079]',
  long,
  async () => {
    const links = aboutLinks.map((name) => `${name}=https://${name}.example/page`)
    expect((await aboutWith({ MAINSTAY_LINKS: links.join(',') })).links).toEqual([
      ['Documentation', 'https://docs.example/page'],
      ['Support', 'https://support.example/page'],
      ['ISO images', 'https://iso.example/page'],
      ['Contact', 'https://contact.example/page'],
      ['Terms', 'https://terms.example/page'],
      ['Product page', 'https://product.example/page'],
      ['API reference', '/api/v2/docs'],
    ])
  },
)

it('omits links that the installation does not configure', { ...long, tags: 'all' }, async () => {
  expect((await aboutWith({ MAINSTAY_LINKS: 'contact=mailto:help@cloud.example' })).links).toEqual([
    ['Contact', 'mailto:help@cloud.example'],
    ['API reference', '/api/v2/docs'],
  ])
})

it('the About dialog shows the server version, its release and the API version [UI-078]', long, async () => {
  const { facts } = await aboutWith({})
  expect(facts).toEqual(['0.0.0', 'test release', '7.1.0'])
})
