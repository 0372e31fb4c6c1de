import { textsNow } from '../../i18n/use-t'
import { confirm, type Question } from './confirm'

export interface DeleteQuestion extends Pick<Question, 'text' | 'typed' | 'run'> {
  /** "SSH key". */
  what: string
  name: string
}

/** "Delete SSH key “web”?" */
export const confirmDelete = ({ what, name, ...rest }: DeleteQuestion) => {
  const t = textsNow('patterns')
  return confirm({
    title: t('confirm.deleteTitle', { what, name }),
    verb: t('confirm.deleteVerb', { what }),
    isDanger: true,
    ...rest,
  })
}
