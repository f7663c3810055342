package io.fleetgauge.query.rules.definition;

import io.fleetgauge.query.rules.template.Template;
import io.fleetgauge.query.rules.template.TemplateFailure;
import java.util.Optional;

/** Says what is wrong with a template in a label or an annotation of an alerting rule. */
@FunctionalInterface
public interface TemplateCheck {
  /** Accepts everything. */
  TemplateCheck NONE = template -> Optional.empty();

  /** Accepts what rules can expand. */
  TemplateCheck TEMPLATES =
      template -> {
        try {
          Template.check(template);
          return Optional.empty();
        } catch (TemplateFailure e) {
          return Optional.of(e.getMessage());
        }
      };

  /**
   * @return the problem; empty when the template can be used
   */
  Optional<String> problem(String template);
}
