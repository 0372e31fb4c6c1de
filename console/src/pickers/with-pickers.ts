import { withTexts } from '../nav/with-texts'

/**
 * Loads a page or a form in which rows of other kinds are chosen together with the texts of that: it stays on the screen when
 * a choice opens.
 */
export const withPickers = <Page>(load: () => Promise<Page>) => withTexts('compute', load)
