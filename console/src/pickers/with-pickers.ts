/**
 * Loads a page or a form in which rows of other kinds are chosen together with the texts of that: it stays on the screen when
 * a choice opens.
 */
export const withPickers =
  <Page>(load: () => Promise<Page>) =>
  async (): Promise<Page> => {
    // the table of routes is also read where there is no bundler, which catalogues need
    const texts = import('../i18n/use-t').then(({ loadTexts }) => loadTexts('compute'))
    const [page] = await Promise.all([load(), texts])
    return page
  }
