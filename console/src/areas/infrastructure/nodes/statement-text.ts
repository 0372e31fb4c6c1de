import type { Said } from '@mainstay/contract/core/said'
import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import { messageNow } from '../../../i18n/said'

/** A statement of the server in the language of the page, or in English if it is unknown here. */
export const statementText = ({ key, values, message }: Statement): string =>
  messageNow({ key: key as Said['key'], values }) ?? message
