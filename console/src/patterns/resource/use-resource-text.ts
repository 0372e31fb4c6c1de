import type { Key } from '../../i18n/catalogues'
import { useT } from '../../i18n/use-t'
import type { Values } from '../../i18n/message'
import type { Resource } from '../../nav/resource'

/** A resource's strings by key suffix: `const say = useResourceText(sshKeyResource)`, then `say('title')`. */
export function useResourceText({ area, words }: Resource) {
  const t = useT(area)
  return (word: string, values?: Values) => t(`${words}.${word}` as Key, values)
}
