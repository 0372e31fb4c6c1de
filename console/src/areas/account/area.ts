import type account from '../../../locales/en/account.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    account: typeof account
  }
}

const pages: readonly PageRoute[] = [
  route('account', () => import('./AccountPage'), {
    needs: 'signed-in',
    texts: 'account',
    title: 'title',
  }),
]

/** The current user's account page, opened from the user menu. */
export const accountArea: ConsoleArea = { pages }
