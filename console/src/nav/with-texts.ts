import type { Area } from '../i18n/catalogues'

/** Loads a page together with the catalogue of another area. */
export const withTexts =
  <Page>(area: Area, load: () => Promise<Page>) =>
  async (): Promise<Page> => {
    // the module is imported dynamically, because the route table is also read without a bundler, which catalogues
    // require
    const texts = import('../i18n/use-t').then(({ loadTexts }) => loadTexts(area))
    const [page] = await Promise.all([load(), texts])
    return page
  }
