/**
 * Loaded by mocha before all else: passwords are hashed at a hundredth of their price, as most tests that sign somebody
 * up are about other things. Those of the hashing itself set its own price.
 */
import { hashPasswordsAt } from '../../src/accounts/people/password.ts';

hashPasswordsAt(8);
