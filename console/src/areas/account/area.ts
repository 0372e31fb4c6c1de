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

/** One's own account, which the user's menu opens. */
export const accountArea: ConsoleArea = { pages }
