import { CopyButton } from './CopyButton'
import { Mono } from './Mono'
import css from './CopyableCode.module.css'

/** A value with a copy button: an ID, an address or a fingerprint. */
export const CopyableCode = ({ children }: { children: string }) => (
  <span className={css.copyable}>
    <Mono>{children}</Mono>
    <CopyButton value={children} />
  </span>
)
