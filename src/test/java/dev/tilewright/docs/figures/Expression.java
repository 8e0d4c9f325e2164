package dev.tilewright.docs.figures;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sum of products of numbers and of values v1, v2 and so on. */
final class Expression {
    private final Matcher token;
    private final List<Double> values;
    private String next;
    private boolean usesValues;

    Expression(String text, List<Double> values) {
        token = Pattern.compile("v\\d+|[\\d.]+(?:e\\d+)?|[-+*/()]").matcher(text);
        this.values = values;
        advance();
    }

    double value() {
        double result = sum();
        Evidence.require(next == null && usesValues, "an expression is of values v1, v2 …, and ends where it ends");
        return result;
    }

    private void advance() {
        next = token.find() ? token.group() : null;
    }

    private double sum() {
        double result = product();
        while ("+".equals(next) || "-".equals(next)) {
            boolean plus = next.equals("+");
            advance();
            double more = product();
            result += plus ? more : -more;
        }
        return result;
    }

    private double product() {
        double result = factor();
        while ("*".equals(next) || "/".equals(next)) {
            boolean times = next.equals("*");
            advance();
            double more = factor();
            result = times ? result * more : result / more;
        }
        return result;
    }

    private double factor() {
        Evidence.require(next != null, "an expression is not complete");
        String here = next;
        advance();
        if (here.equals("(")) {
            double inner = sum();
            Evidence.require(")".equals(next), "a bracket is not closed");
            advance();
            return inner;
        }
        if (here.startsWith("v")) {
            usesValues = true;
            return values.get(Integer.parseInt(here.substring(1)) - 1);
        }
        return Double.parseDouble(here);
    }
}
