import type { Area } from '../i18n/catalogues'

/** Loads a page together with texts that are not the ones of its area: it does not wait for them when it is there. */
export const withTexts =
  <Page>(area: Area, load: () => Promise<Page>) =>
  async (): Promise<Page> => {
    // the table of routes is also read where there is no bundler, which catalogues need
    const texts = import('../i18n/use-t').then(({ loadTexts }) => loadTexts(area))
    const [page] = await Promise.all([load(), texts])
    return page
  }
