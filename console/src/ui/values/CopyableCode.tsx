import { CopyButton } from './CopyButton'
import { Mono } from './Mono'
import css from './CopyableCode.module.css'

/** A value that one takes along: an id, an address, a fingerprint. */
export const CopyableCode = ({ children }: { children: string }) => (
  <span className={css.copyable}>
    <Mono>{children}</Mono>
    <CopyButton value={children} />
  </span>
)
