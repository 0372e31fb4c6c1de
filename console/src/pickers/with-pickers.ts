import { withTexts } from '../nav/with-texts'

/** Loads a page or form together with the strings for the pickers, so that it does not suspend when a picker opens. */
export const withPickers = <Page>(load: () => Promise<Page>) => withTexts('compute', load)
