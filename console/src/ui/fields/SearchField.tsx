import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Input, type InputProps } from 'react-aria-components/Input'
import {
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
} from 'react-aria-components/SearchField'
import { classes } from '../../lib/classes'
import { CloseIcon, SearchIcon } from '../icons'
import { Kbd } from '../values/Kbd'
import css from './field.module.css'
import own from './SearchField.module.css'

export interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'className' | 'children' | 'aria-label'> {
  /** Also the placeholder: "Search instances". */
  label: string
  /** The key that leads here, shown while it is empty. */
  shortcut?: string | undefined
  className?: string | undefined
  /** Stands in the box, before what is typed. */
  before?: ReactNode
  /** Of a box that completes. */
  inputProps?: InputProps | undefined
  ref?: React.Ref<HTMLInputElement> | undefined
}

/** The search box of a list. Esc empties it. */
export function SearchField({ label, shortcut, className, before, inputProps, ref, ...rest }: SearchFieldProps) {
  return (
    <AriaSearchField {...rest} aria-label={label} className={classes(css.field, own.search, className)}>
      {({ isEmpty }) => (
        <div className={css.box}>
          <span className={css.start}>
            <SearchIcon />
          </span>
          {before}
          <Input {...inputProps} className={css.input ?? ''} placeholder={label} {...(ref && { ref })} />
          {isEmpty ? (
            shortcut && (
              <span className={classes(css.end, own.shortcut)} aria-hidden="true">
                <Kbd>{shortcut}</Kbd>
              </span>
            )
          ) : (
            <Button className={css.boxButton ?? ''}>
              <CloseIcon />
            </Button>
          )}
        </div>
      )}
    </AriaSearchField>
  )
}
